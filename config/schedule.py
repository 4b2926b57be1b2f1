"""What beat starts, and how often, in seconds, and which tasks have workers of their own.

The tasks are in each package's `tasks.py`. What is late is not made good: `expires` keeps a broker that was away from
handing out the same thing many times.
"""

DAY = 24 * 3600.0

BEAT = {
    "changed-labels": {"task": "kb.tasks.follow_labels", "schedule": 5.0, "options": {"expires": 5}},
    "cause-links": {"task": "kb.tasks.rebuild_cause_links", "schedule": DAY},
    "diagnoses": {"task": "kb.tasks.look_after_diagnoses", "schedule": 120.0, "options": {"expires": 120}},
    "shared-diagnoses": {"task": "kb.tasks.forget_shared_diagnoses", "schedule": 600.0, "options": {"expires": 600}},
    "declined-feedback": {"task": "kb.tasks.forget_declined_feedback", "schedule": DAY},
    "mirrors": {"task": "ingest.tasks.sync_due_mirrors", "schedule": 20.0, "options": {"expires": 20}},
    "deliveries": {"task": "ingest.tasks.handle_deliveries", "schedule": 60.0, "options": {"expires": 60}},
    "asked-sweeps": {"task": "ingest.tasks.sweep_as_asked", "schedule": 60.0, "options": {"expires": 60}},
    "sweeps": {"task": "ingest.tasks.sweep_mirrors", "schedule": 600.0, "options": {"expires": 600}},
    "suggestions": {"task": "ingest.tasks.suggest_labels", "schedule": 300.0, "options": {"expires": 300}},
    "old-runs": {"task": "ingest.tasks.forget_old_runs", "schedule": DAY},
    "old-deliveries": {"task": "ingest.tasks.forget_old_deliveries", "schedule": DAY},
    "ended-sessions": {"task": "config.accounts.tasks.forget_ended_sessions", "schedule": DAY},
}

# What somebody sent may take many minutes to read: nothing else waits for it.
ROUTES = {"kb.tasks.diagnose": {"queue": "diagnoses"}}
