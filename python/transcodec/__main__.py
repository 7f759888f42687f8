"""`python -m transcodec`."""

from transcodec.cli import main

main(prog_name="transcodec")
