"""What the sources get wrong, made right."""
