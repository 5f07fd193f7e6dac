# Functions of script/test and .ci/run, which set `report`.

# needed PART...: succeeds if one of these parts has to run, because the record has none with its present inputs.
needed() { python3 script/testing/record.py needed "$report" "$@"; }

# part NAME SECONDS COMMAND...: runs a part, unless the record skips it. The run ends if it fails.
part() { ! needed "$1" || python3 script/testing/supervise.py "$report" "$@"; }
