"""Finding stored texts by their words, the same way on every database.

`terms` cuts a text into terms and gives each a short code: the codes are all that a database keeps and looks up.
`query` says which codes a text must have for a question. What has them is only a candidate: `places` looks at
the text itself and finds the lines.
"""
