"""Which legal play explains what is seen: evidence in, one verdict out."""

from controller.reconcile.decide import TALL, reconcile
from controller.reconcile.evidence import Evidence, roll_log_likelihoods
from controller.reconcile.settings import DEFAULT, Settings
from controller.reconcile.verdicts import (
    Ambiguous,
    Choice,
    Completed,
    InProgress,
    Obscured,
    Unexplained,
    Unmoved,
    Verdict,
)

__all__ = [
    "DEFAULT",
    "TALL",
    "Ambiguous",
    "Choice",
    "Completed",
    "Evidence",
    "InProgress",
    "Obscured",
    "Settings",
    "Unexplained",
    "Unmoved",
    "Verdict",
    "reconcile",
    "roll_log_likelihoods",
]
