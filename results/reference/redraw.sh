#!/usr/bin/env bash
# Write the tables and figures of the reference results again, from their records. Run it in the repository's root:
#   results/reference/redraw.sh nvidia-h200
# Nothing is measured; records and published tables are all that is read.
set -euo pipefail
gpu=${1:?name a folder of results/reference, such as nvidia-h200}
results=results/reference/$gpu figures=figures/reference/$gpu

# table NAME ALGORITHM FOLDER [ROW=DATASET ...]
table() {
    local name=$1 algorithm=$2 folder=$3
    shift 3
    for format in csv:.csv markdown:.md comparison:_comparison.csv; do
        warpath table "$name" --published "data/published/bodra/$name.csv" --algorithm "$algorithm" \
            --records "$results/runs" ${1:+--rows "$@"} \
            --format "${format%%:*}" --output "$results/$folder$name${format#*:}"
    done
}

# figure NAME TABLE FOLDER
figure() {
    for suffix in png svg pdf; do
        warpath plot "$1" --table "$results/$3$2_comparison.csv" --output "$figures/$3$1.$suffix"
    done
}

table table1 bellman_ford ""
table table2 dijkstra ""
table table3 floyd_warshall ""
figure figure5 table1 ""
figure figure5_log table1 ""
figure figure6 table3 ""
figure figure6_log table3 ""

rows=()
for row in nyc bay col fla ne e; do rows+=("$row=standin-$row"); done
table table1 bellman_ford standin/ "${rows[@]}"
figure figure5 table1 standin/
figure figure5_log table1 standin/
