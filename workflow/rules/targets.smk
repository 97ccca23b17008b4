# From records to tables, claims, figures and texts: one call of `warpath report` makes all files of a target. It reads records and
# published tables, and measures nothing.

TARGETS = {
    (work.folder + target.stem, target.fields.kind): (work, target)
    for work in works.values()
    for target in work.targets(settings.choice)
}
REPORT = sorted(str(file) for suffix in ("py", "html") for file in Path("src/warpath_study/report").glob(f"*.{suffix}"))


# `use rule` does not pass this on.
localrules:
    claims,
    figure,
    text,
    runs,


rule table:
    input:
        inputs("table"),
    output:
        multiext(f"{settings.results}/{{stem}}", ".csv", "_comparison.csv", ".md"),
        page("table", f"{settings.results}/{{stem}}.html"),
    log:
        f"logs/{settings.results}/{{stem}}.table.log",
    wildcard_constraints:
        stem=stems("table"),
    localrule: True
    conda:
        "../../envs/environment.yml"
    params:
        arguments=arguments("table"),
        caption=caption("table"),
    message:
        "write {wildcards.stem}"
    shell:
        "warpath report {params.arguments:q} > {log:q} 2>&1"


use rule table as claims with:
    input:
        inputs("claims"),
    output:
        multiext(f"{settings.results}/{{stem}}", ".csv", ".md"),
        page("claims", f"{settings.results}/{{stem}}.html"),
    log:
        f"logs/{settings.results}/{{stem}}.claims.log",
    wildcard_constraints:
        stem=stems("claims"),
    params:
        arguments=arguments("claims"),
        caption=caption("claims"),


use rule table as figure with:
    input:
        inputs("figure"),
    output:
        multiext(f"{settings.figures}/{{stem}}", ".svg", ".png", ".pdf"),
        page("figure", f"{settings.figures}/{{stem}}.html"),
    log:
        f"logs/{settings.figures}/{{stem}}.figure.log",
    wildcard_constraints:
        stem=stems("figure"),
    params:
        arguments=arguments("figure"),
        caption=caption("figure"),
    message:
        "draw {wildcards.stem}"


use rule table as text with:
    input:
        inputs("text"),
    output:
        f"{settings.results}/{{stem}}.txt",
    log:
        f"logs/{settings.results}/{{stem}}.text.log",
    wildcard_constraints:
        stem=stems("text"),
    params:
        arguments=arguments("text"),
        caption=caption("text"),


use rule table as runs with:
    input:
        inputs("runs"),
    output:
        f"{settings.results}/{{stem}}.csv",
    log:
        f"logs/{settings.results}/{{stem}}.runs.log",
    wildcard_constraints:
        stem=stems("runs"),
    params:
        arguments=arguments("runs"),
        caption=caption("runs"),


# Names that stand for files: a target of the main work such as `table1`, a work, or a set of targets. Reference records come
# without graphs, so a target that reads graphs is then made only if its file is named.
NAMED = {}
for work, target in TARGETS.values():
    if settings.reference and target.fields.graphs:
        continue
    NAMED.setdefault(work.set_of(target), []).extend(files_of(work, target))
    if not work.folder:
        NAMED[target.name] = files_of(work, target)

for name, files in NAMED.items():

    rule:
        name:
            f"all_of_{name}" if name in ("table", "claims", "figure", "text", "runs") else name
        input:
            files,
        localrule: True
