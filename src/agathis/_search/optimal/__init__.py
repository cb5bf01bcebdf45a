"""The optimal tree of few leaves, with a proof, and lower bounds of its cost."""
