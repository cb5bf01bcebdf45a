"""The algorithms of ``KernelKMeans``."""
