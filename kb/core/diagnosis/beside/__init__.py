"""What lies beside a log: snapshots of CUDA memory, reports of nvidia-smi, records of Kubernetes.

Each is known by its first bytes, read within bounds, and joined to the log on rank, node and time. Dumps of the Flight
Recorder are read in `flight_recorder`; what lies beside a log as plain lines is read with the log.
"""
