// Empty on purpose: a precompiled header needs a target, and a target needs a source.
