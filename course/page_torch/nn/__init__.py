"""What stands for torch.nn."""
