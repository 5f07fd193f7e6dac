# Functions of script/test and .ci/run, which set `report`.

# needed PART...: succeeds if one of these parts has to run, because the record has none with its present inputs. Any
# other status than that of a skipped part counts as needed.
needed() {
  local status=0
  python3 script/testing/record.py needed "$report" "$@" || status=$?
  [ $status -ne 3 ]
}

# part NAME SECONDS COMMAND...: runs a part, unless the record skips it. The run ends if the part fails.
part() { if needed "$1"; then python3 script/testing/supervise.py "$report" "$@"; fi; }
