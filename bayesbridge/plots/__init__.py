"""Results as pictures: every function draws on the Axes it is given, or on new ones, and returns them.

Nothing here touches pyplot, so no figure is left open; ``bb.plot_tricks(result).figure.savefig("tricks.png")`` saves
one. Text and lines take the colours of Matplotlib's settings, so that a dark style works too.
"""
