"""The explorer: a page on which positions are set by clicking, and a local server that answers it.

The server process reads requests and passes them on; every question is answered in one of a few worker processes that
stay warm. A newer question of a tab interrupts its older one.
"""
