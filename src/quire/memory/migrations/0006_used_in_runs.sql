-- Which items took part in a run is asked by its id, at every verdict and for every point of the curve.
CREATE INDEX uses_run ON uses (run);
