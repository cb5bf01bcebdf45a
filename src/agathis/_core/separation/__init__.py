"""How far apart clusters are: the mean silhouette, kept while rows move."""
