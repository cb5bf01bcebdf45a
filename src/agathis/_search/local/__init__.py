"""Local search: moves that improve a tree, perturbations and starting trees."""
