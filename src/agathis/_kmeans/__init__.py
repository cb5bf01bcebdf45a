"""The searches behind ``KernelKMeans``."""
