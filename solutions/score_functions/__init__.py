"""Score functions: six of the classics and FusionNet's four forms, behind one interface."""
