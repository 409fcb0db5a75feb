"""Everything that is plugged in: the serial link, lights, dice, buttons, sensors, and the simulated board."""
