"""Better trees than greedy: local search on a tree, and the optimum with a proof."""
