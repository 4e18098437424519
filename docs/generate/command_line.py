"""command-line.md: every command and option, from the parsers that `cl2cuda` itself uses."""

from __future__ import annotations

import argparse

from markdown import MADE, table

from cl2cuda.cli import make_parser

_STATUS = """
The exit status is 0 when the work was done; 1 when it failed: a diagnostic, no device, an exception in the program that `run`
runs; 2 when the command line was wrong or a file could not be read. Errors go to standard error.
"""


def page() -> str:
    parser = make_parser()
    commands = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    summaries = {choice.dest: choice.help or "" for choice in commands._choices_actions}
    parts = [f"{MADE}# The command line\n\n{parser.description}\n", _options(parser), _STATUS]
    for name, command in commands.choices.items():
        parts += [f"\n## `cl2cuda {name}`: {summaries[name]}\n\n{command.description}\n", _options(command)]
        parts += [f"\n{group.title.capitalize()}: {group.description}\n"
                  for group in command._action_groups if group.title and group.description]
        parts += [f"\n{' '.join(command.epilog.split())}\n"] if command.epilog else []
    return "".join(parts)


def _options(parser: argparse.ArgumentParser) -> str:
    shown = [action for action in parser._actions
             if action.help != argparse.SUPPRESS and not isinstance(action, argparse._SubParsersAction)]
    return "\n" + table(["option", "meaning"], [[f"`{_usage(action)}`", action.help or ""] for action in shown])


def _usage(action: argparse.Action) -> str:
    value = f"{action.metavar or action.dest.upper()}" if action.nargs != 0 else ""
    if not action.option_strings:
        return f"{value} ..." if action.nargs == "+" else value
    return ", ".join(f"{option}{'' if option == '-D' else ' '}{value}".rstrip() for option in action.option_strings)
