"""How good diagnoses are on logs whose truth is known: `make diagnose-eval`, and the floor that the tests hold."""
