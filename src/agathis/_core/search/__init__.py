"""A mutable tree with its candidate splits for local search; branch and bound for the optimum."""
