#!/usr/bin/env bash
# Write the tables and figures of the reference results again, from their records. Run it in the repository's root:
#   results/reference/redraw.sh nvidia-h200
# Nothing is measured; records and published tables are all that is read.
set -euo pipefail
gpu=${1:?name a folder of results/reference, such as nvidia-h200}
results=results/reference/$gpu figures=figures/reference/$gpu

# table NAME ALGORITHM FOLDER [WORK [OPTION ...]]
table() {
    local name=$1 algorithm=$2 folder=$3 work=${4:-bodra}
    for format in csv:.csv markdown:.md comparison:_comparison.csv; do
        warpath table "$name" --published "data/published/$work/$name.csv" --algorithm "$algorithm" \
            --records "$results/runs" "${@:5}" \
            --format "${format%%:*}" --output "$results/$folder$name${format#*:}"
    done
}

# figure NAME TABLE FOLDER [FILE]
figure() {
    for suffix in png svg pdf; do
        warpath plot "$1" --table "$results/$3$2_comparison.csv" --output "$figures/$3${4:-$1}.$suffix"
    done
}

table table1 bellman_ford ""
table table2 dijkstra ""
table table3 floyd_warshall ""
for figure in figure5 figure5_log; do figure $figure table1 ""; done
for figure in figure6 figure6_log; do figure $figure table3 ""; done

rows=()
for row in nyc bay col fla ne e; do rows+=("$row=standin-$row"); done
table table1 bellman_ford standin/ bodra --rows "${rows[@]}"
for figure in figure5 figure5_log; do figure $figure table1 standin/; done

table table1 bellman_ford future_work/ bodra --variants cpu naive stride stride_flag ell
table table3 floyd_warshall future_work/ bodra \
    --variants cpu naive super_naive super_naive_shared tiled tiled_shared staged
figure figure5_log table1 future_work/
figure figure6_log table3 future_work/

rows=()
for vertices in 1000 4000 16000 32000 46000; do rows+=("v$vertices=tutorial-$vertices"); done
table times floyd_warshall floyd_warshall_tutorial/ floyd_warshall_tutorial --rows "${rows[@]}" --variants cpu branchless
figure figure_vertices times floyd_warshall_tutorial/ vertices

# Table 1 is not here: it is made from the graphs themselves.
work=$results/safari_ebnenasir
rows=("New York=nyc" Colorado=standin-col Pennsylvania=standin-roadnet-pa Northwest=standin-nw CalNev=standin-cal
    California=standin-roadnet-ca Western=standin-w)
warpath safari runs --records "$work/runs" --rows "${rows[@]}" \
    --settings k=4,vertices_per_thread=2 k={3,2},vertices_per_thread=1 --output "$work/runs.csv"
warpath safari runs --records "$work/runs" \
    --rows "New York=nyc-revised" CalNev=standin-cal-revised Western=standin-w-revised \
    --settings k={1,2,3,4,5},vertices_per_thread={1,2,4,8} --output "$work/sweep.csv"
for format in csv:csv markdown:md; do
    warpath safari table2 --runs "$work/runs.csv" --format "${format%:*}" --output "$work/table2.${format#*:}"
    warpath safari claims --runs "$work/runs.csv" --sweep "$work/sweep.csv" \
        --format "${format%:*}" --output "$work/claims.${format#*:}"
done
warpath safari figure3 --runs "$work/runs.csv" --output "$work/figure3_comparison.csv"
for suffix in png svg pdf; do
    warpath plot safari_ebnenasir.figure3 --table "$work/figure3_comparison.csv" \
        --output "$figures/safari_ebnenasir/figure3.$suffix"
    warpath plot safari_ebnenasir.figure4 --table "$work/sweep.csv" --output "$figures/safari_ebnenasir/figure4.$suffix"
done

# The autonomous systems are in runs.csv alone; figures and table are of the random digraphs, sizes.csv.
work=$results/katz_kider drawn=$figures/katz_kider
sizes=()
for nodes in 64 128 256 512 1024 2048 4096 9216 10240 11264; do sizes+=("$nodes=katz-$nodes"); done
columns=(blocked_all_pairs.{standard,blocked,register_blocked,cpu,cpu_blocked,cpu_tuned}
    blocked_all_pairs.out_of_core.device_memory_limit_mib=512 blocked_all_pairs.several_devices.devices=2
    transitive_closure.{naive,blocked,bitset})
of_sizes=(--records "$work/runs" --rows "${sizes[@]}" --columns "${columns[@]}")
warpath katz runs "${of_sizes[@]}" --output "$work/sizes.csv"
warpath katz runs "${of_sizes[@]}" --rows caida=caida-part \
    --columns blocked_all_pairs.{standard,blocked,register_blocked} --output "$work/runs.csv"
for format in csv:_comparison.csv markdown:.md; do
    warpath katz table1 --runs "$work/sizes.csv" --format "${format%%:*}" --output "$work/table1${format#*:}"
done
for format in csv:csv markdown:md; do
    warpath katz claims --runs "$work/runs.csv" --format "${format%:*}" --output "$work/claims.${format#*:}"
done
for figure in figure5 figure6 figure7 figure8; do
    warpath katz $figure --runs "$work/sizes.csv" --output "$work/${figure}_comparison.csv"
    for suffix in png svg pdf; do
        warpath plot katz_kider.$figure --table "$work/${figure}_comparison.csv" --output "$drawn/$figure.$suffix"
    done
done
warpath katz runs --records "$work/runs" \
    --rows 36682=katz-36682 --columns blocked_all_pairs.{register_blocked,out_of_core.device_memory_limit_mib=4096} \
    --rows 65536=katz-65536 --columns blocked_all_pairs.several_devices.devices={1,2,4} --output "$work/larger.csv"
warpath katz larger --runs "$work/larger.csv" --format markdown --output "$work/larger.md"
