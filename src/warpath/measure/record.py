"""The record of one run: a JSON file in the shape of ``record.schema.json``, checked when written and when read.

A record is a plain dict; the schema says what each key means. It also ties the status to what must be there: an ``ok``
record holds at least one sample and a certificate of the full answer, an ``estimated`` one says what it was estimated
from, and neither kind is written without its certificate.
"""

from pathlib import Path

from ..json_record import RecordFormat

SCHEMA_VERSION = 1

_FORMAT = RecordFormat(
    Path(__file__).with_name("record.schema.json"),
    name="a record of this version",
    command="warpath run",
    remedy="delete it and run the cell again",
)
write_record = _FORMAT.write
read_record = _FORMAT.read
