"""What comes from outside is checked here: data, kernels, parameters, labels."""
