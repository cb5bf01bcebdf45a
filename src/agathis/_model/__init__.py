"""A fitted model, and the settings that it was fitted with (:mod:`agathis._model.spec`)."""
