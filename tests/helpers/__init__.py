"""What the tests share: problems, slow twins, invariants, files, pages."""
