"""`quire serve`: one library over HTTP.

`app` puts it together; `context` is what every route gets; `access` decides who may come in. Long work is in
`jobs`, questions in `asks`, conversations in `threads`, all kept in `store`; `api/` is the REST interface.
"""
