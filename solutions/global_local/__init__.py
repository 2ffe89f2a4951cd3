"""Global and local attention, after Luong et al. (2015)."""
