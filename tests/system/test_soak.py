"""The soak itself: that it runs, and that it would notice growing memory."""

import unittest

from case import FULL
from soak import flat, soak

# A quarter of a minute is too short to judge memory.
MINUTES = 10 if FULL else 0.25


class Soak(unittest.TestCase):
    def test_mixed_load_is_stood(self):
        told = []
        is_flat, is_sound = soak(MINUTES, rate=100, say=told.append)
        self.assertTrue(is_sound, told[-2:])
        if FULL:
            self.assertTrue(is_flat, told)

    def test_growth_is_told_from_noise(self):
        def hour(growth):
            """A sample a minute: filling at first, then noise of some MB on this much growth."""
            return [
                (
                    60 * minute,
                    100e6 + min(minute, 15) * 5e6 + minute / 60 * growth + minute * 7 % 5 * 1e6,
                )
                for minute in range(60)
            ]

        self.assertTrue(flat(hour(0))[0])
        self.assertTrue(flat(hour(-20e6))[0])
        self.assertFalse(flat(hour(20e6))[0])
