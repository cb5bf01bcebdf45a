"""How far apart clusters are: silhouette and Dunn index, kept while rows move."""
