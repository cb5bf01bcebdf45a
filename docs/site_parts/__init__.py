"""What the site's pages include: figures from files, the commands, mended links."""
