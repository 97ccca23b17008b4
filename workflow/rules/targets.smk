# Tables, claims, figures and texts from records: one call of `warpath report` makes all files of a target.

for kind in SUFFIXES:

    rule:
        name:
            kind
        input:
            of_target(kind, "inputs"),
            REPORT,
        output:
            outputs(kind),
        log:
            f"logs/{settings.results}/{{stem}}.{kind}.log",
        wildcard_constraints:
            stem=one_of(stem for of_kind, stem in TARGETS if of_kind == kind),
        localrule: True
        conda:
            "../../envs/environment.yml"
        params:
            arguments=of_target(kind, "arguments"),
            caption=of_target(kind, "caption"),
            facts=facts_of_target(kind),
        message:
            f"{'draw' if kind == 'figure' else 'write'} {{wildcards.stem}}"
        shell:
            "warpath report {params.arguments:q} > {log:q} 2>&1"


# Names for files: a target of the main work such as `table1`, a work, or a set of targets. Reference records have no graphs, so
# targets that read graphs are then made only by the names of their files.
NAMED = {}
for target in TARGETS.values():
    if settings.reference and target.target.fields.graphs:
        continue
    NAMED.setdefault(target.work.set_of(target.target), []).extend(target.files)
    if not target.work.folder:
        NAMED[target.target.name] = target.files

snakemake_logger_plugin_warpath.about_unknown_target = about_unknown_target

for name, files in NAMED.items():

    rule:
        name:
            f"all_of_{name}" if name in SUFFIXES else name
        input:
            files,
        localrule: True
