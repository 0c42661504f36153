import re

import canvases.models.search
import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


SQLITE = """
CREATE VIRTUAL TABLE search_codes USING fts5(
    codes, content='canvases_searchdocument', content_rowid='id', detail=none, columnsize=0, tokenize='ascii'
);
CREATE TRIGGER search_codes_insert AFTER INSERT ON canvases_searchdocument BEGIN
    INSERT INTO search_codes(rowid, codes) VALUES (new.id, new.codes);
END;
CREATE TRIGGER search_codes_delete AFTER DELETE ON canvases_searchdocument BEGIN
    INSERT INTO search_codes(search_codes, rowid, codes) VALUES ('delete', old.id, old.codes);
END;
CREATE TRIGGER search_codes_update AFTER UPDATE OF id, codes ON canvases_searchdocument BEGIN
    INSERT INTO search_codes(search_codes, rowid, codes) VALUES ('delete', old.id, old.codes);
    INSERT INTO search_codes(rowid, codes) VALUES (new.id, new.codes);
END;
"""


def make_index(apps, schema_editor):
    """Make what documents are looked up by; SQLite takes one statement at a time inside a transaction."""
    if schema_editor.connection.vendor == 'postgresql':
        schema_editor.execute('CREATE INDEX search_codes ON canvases_searchdocument USING gin (codes)')
        return
    for statement in re.split(r'\n(?=CREATE)', SQLITE.strip()):
        schema_editor.execute(statement, params=None)


def drop_index(apps, schema_editor):
    """The triggers and the GIN index go with the table."""
    if schema_editor.connection.vendor != 'postgresql':
        schema_editor.execute('DROP TABLE search_codes')


def wait_for_indexing(apps, schema_editor):
    """Have workers look at every session, so that what is stored already is made searchable."""
    waiting = apps.get_model('canvases', 'Session').objects.filter(pair_count__gt=0, waiting_since=None)
    waiting.update(waiting_since=django.utils.timezone.now())


class Migration(migrations.Migration):

    dependencies = [
        ('canvases', '0002_audit'),
    ]

    operations = [
        migrations.CreateModel(
            name='SearchProgress',
            fields=[
                ('session', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='search_progress', serialize=False, to='canvases.session')),
                ('through_seq', models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name='SearchDocument',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('codes', canvases.models.search.CodesField()),
                ('note', models.CharField(default='', max_length=20)),
                ('blob', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='search_document', to='canvases.offloadedblob')),
                ('entry', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='search_document', to='canvases.offloadentry')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('note', ''), _negated=True), fields=['blob'], name='document_in_part')],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('blob__isnull', False), ('entry__isnull', True)), models.Q(('blob__isnull', True), ('entry__isnull', False)), _connector='OR'), name='document_of_one_thing')],
            },
        ),
        migrations.RunPython(make_index, drop_index),
        migrations.RunPython(wait_for_indexing, migrations.RunPython.noop),
    ]
