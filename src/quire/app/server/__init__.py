"""`quire serve`: one library over HTTP.

`app` puts it together; `context` is what every route gets, `responses` how it answers; `access` and
`guarding` decide who may come in. Long work is in `jobs`, questions in `asks`, conversations and notes in
`desk`, all kept in `store`; `api/` is the REST interface, `pages/` the page.
"""
