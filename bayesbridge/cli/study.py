"""``bayesbridge study``: an experiment, its computed figures beside the printed ones.

Which studies there are and their tables come from :data:`bayesbridge.studies.STUDIES`.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from bayesbridge.cli import options, screens

MOST_DEALS = 10**15
"""Three years of work for one core: a greater number is a typing mistake."""


EXACTLY = options.Mode("--exact counts every deal and draws none", "deals runs workers scheduler resume seed")


def add(commands: options.Subparsers) -> None:
    """Put the command on the command line; its arguments wait until they are needed, since all studies are loaded."""
    text = """
        study  an experiment of the paper, by Monte Carlo or exactly, beside the printed figures

        bayesbridge study captures --deals 1e7 --workers 2
        bayesbridge study conditions --exact
        bayesbridge study headline --deals 1e7 --runs 3 --resume headline
        """
    options.add_command(commands, run, text).add_later = _add_arguments


def _add_arguments(parser: options.OneLineParser) -> None:
    from bayesbridge.studies import STUDIES

    studies = STUDIES.values()
    text = f"""
        STUDY      {"; ".join(f"{study.name}: {study.help}" for study in studies)}
        --deals N  random deals in each run, also written 10_000_000 or 1e7 (default:
                   {", ".join(f"{study.name} {study.deals:_}" for study in studies)})
        --runs R   independent runs; the paper has 3 (default: 1)
        --exact    count every possible deal instead of random ones
                   ({" and ".join(study.name for study in studies if study.count_exactly)})
        {options.WORKERS.format("threads")}
        --scoring FILE  {" and ".join(study.name for study in studies if study.schemes)}: a TOML file with a scoring
                        scheme, used beside the built-in ones; may be repeated
        """
    runs = {"type": options.whole(1, 1000), "default": 1}
    deals = options.whole(1, MOST_DEALS)
    options.add_options(parser, text, study={"choices": tuple(STUDIES)}, deals=deals, runs=runs)


def run(args: Namespace) -> int:
    from bayesbridge.notation.toml_text import Toml
    from bayesbridge.scoring import Scheme
    from bayesbridge.studies import STUDIES
    from bayesbridge.studies.jobs import THREADS, RunOptions
    from bayesbridge.studies.study import all_tables, notes

    study = STUDIES[args.study]
    options.verify(args, EXACTLY if args.exact else ":" in (args.scheduler or "") and options.CLUSTER)
    if args.scoring and not study.schemes:
        takers = " and ".join(one.name for one in STUDIES.values() if one.schemes)
        raise options.UsageError(f"study {study.name!r} takes no --scoring: it goes with {takers}")
    schemes = []
    for path in args.scoring or ():
        scheme = Toml.read(path, "--scoring").document
        with options.attributed(f"--scoring {path}"):
            schemes.append(Scheme.of(scheme))
    if args.exact and study.count_exactly is None:
        raise options.UsageError(
            f"study {study.name!r} has no exact count: leave --exact out (see 'bayesbridge study --help')"
        )
    if args.exact and study.count_exactly is not None:
        found = study.count_exactly()
    else:
        checkpoint = Path(args.resume) if args.resume else None
        how = RunOptions(args.workers, args.scheduler or THREADS, checkpoint)
        with options.keeping(args, "deals"):
            found = study.simulate(args.deals or study.deals, args.seed, how, args.runs, schemes)
    if args.json:
        screens.print_json(found.document())
        return 0
    for table in all_tables(study, found):
        screens.show_table(table)
    screens.say(*notes(found, args.seed))
    return 0
