"""The untrusted side: what runs a submission. It knows no exercise and no reference."""
