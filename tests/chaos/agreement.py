"""Checks that the record and the executions agree.

Every execution of a command leaves a trace. For a job whose commands always succeed, the record must show:

  - the attempts of a task are numbered 1..n; the last succeeded, all before it were interrupted: so no
    item is lost and each accepted result counts once;

and the traces must show:

  - no attempt ran twice: each (item, stage, attempt) and each token has at most one trace;
  - nothing ran unrecorded: each trace belongs to a recorded attempt;
  - every attempt that was not interrupted ran exactly once. An interrupted one ran once or never.

Hence traces = succeeded attempts + interrupted attempts that ran.
"""

import collections

Trace = collections.namedtuple("Trace", "item stage attempt token")
Ended = collections.namedtuple("Ended", "item stage attempt result")


def disagreements(items, stages, ended, traces):
    """The disagreements, one line each; empty if there are none."""
    wrong = []
    by_task = collections.defaultdict(list)
    for one in ended:
        by_task[one.item, one.stage].append(one)
    for task in [(item, stage) for item in items for stage in stages]:
        attempts = sorted(by_task.pop(task, []), key=lambda one: one.attempt)
        if [one.attempt for one in attempts] != list(range(1, len(attempts) + 1)):
            wrong.append(f"{task}: attempts are numbered {[one.attempt for one in attempts]}")
        if [one.result for one in attempts] != ["interrupted"] * (len(attempts) - 1) + ["success"]:
            wrong.append(f"{task}: results are {[one.result for one in attempts]}")
    wrong += [f"{task}: nobody submitted it" for task in by_task]

    runs = collections.Counter((t.item, t.stage, t.attempt) for t in traces)
    recorded = {(one.item, one.stage, one.attempt): one.result for one in ended}
    tokens = collections.Counter(t.token for t in traces)
    for run, count in runs.items():
        if count > 1:
            tokens_of_run = [t.token for t in traces if t[:3] == run]
            wrong.append(f"{run}: ran {count} times, as {tokens_of_run}")
    wrong += [f"token {token}: ran {count} times" for token, count in tokens.items() if count > 1]
    wrong += [f"{run}: ran and is not recorded" for run in runs if run not in recorded]
    wrong += [f"{run}: is recorded as {result} and never ran" for run, result in recorded.items()
              if result != "interrupted" and run not in runs]
    return wrong
