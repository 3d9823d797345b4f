"""Tests of what only POSIX systems have: elsewhere they are skipped, for one reason."""

import os

REASON = "needs POSIX: signals, forks, terminals, named pipes, links or permissions"
HERE = os.name == "posix"

#: Files of tests, or tests by how their names begin.
TESTS = (
    "tests/attack/test_attack.py",
    "tests/cli/test_bound.py::test_progress_is_shown_and_ctrl_c_ends_it",
    "tests/cli/test_check.py::test_what_is_proven_is_shown_while_it_goes_on_and_ctrl_c",
    "tests/cli/test_commands.py::test_a_full_disk_is_one_line",
    "tests/cli/test_commands.py::test_ctrl_c_ends_with_what_was_learned_so_far",
    "tests/cli/test_convert.py::test_progress_and_ctrl_c",
    "tests/cli/test_cover.py::test_progress_is_shown_and_ctrl_c_ends_it",
    "tests/cli/test_lab.py::test_it_opens_the_browser",
    "tests/cli/test_lab.py::test_it_serves_until_ctrl_c",
    "tests/serve/test_kill.py::test_nothing_is_lost_at_any_point",
    "tests/cli/test_lab.py::test_others_are_let_in_only_if_told_so",
    "tests/cli/test_on_cluster.py::test_fit_says_on_a_terminal",
    "tests/cli/test_progress.py",
    "tests/cli/test_repair.py::test_interrupted_it_says_what_is_proven",
    "tests/cli/test_trace.py::test_ctrl_c_ends_the_run",
    "tests/cli/test_terminal.py::test_a_verdict_on_a_terminal",
    "tests/cluster/test_distributed_check_faults.py",
    "tests/cluster/test_faults.py",
    "tests/data/cache/test_damage.py",
    "tests/data/cache/test_destination.py::test_a_link_stays_one",
    "tests/data/cache/test_writer.py",
    "tests/data/test_columnar.py::test_a_pipe_is_read_whole",
    "tests/data/test_csv.py::test_a_pipe_comes_line_by_line",
    "tests/data/test_shards.py::test_a_pipe_is_not_cut",
    "tests/docs/test_docs.py::test_commands_print_what_the_page_shows",
    "tests/docs/test_site.py::test_broken_links_stop_the_build",
    "tests/learning/test_checkpoint_file.py::test_ctrl_c",
    "tests/learning/test_checkpoint_file.py::test_killed_at_random_moments",
    "tests/learning/test_estimators.py::test_fitting_a_gigabyte_allocates",
    "tests/learning/test_model_file.py::test_a_full_disk_leaves_the_old_model",
    "tests/learning/test_model_file.py::test_a_model_is_written_with_ordinary_permissions",
    "tests/learning/test_model_file.py::test_only_regular_files_are_written_over",
    "tests/test_files.py",
    "tests/test_jit.py::test_without_a_place_to_write",
    "tests/verdict/test_certificate.py::test_reading_says_what_is_wrong_with_a_file",
)
