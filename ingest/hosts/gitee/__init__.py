"""Gitee, by version 5 of its API. `host.py` is its face; how it is asked patiently is in `ingest.hosts.asking`.

Where it differs from GitHub, and where that was seen. [S] is the API's own description, as clients generated from it
repeat it (IssuesApi.md, PullRequestsApi.md); [M] Gitee's own oschina/mcp-gitee; [P] chaoss/grimoirelab-perceval-gitee
and its tests; [D] raw answers about mindspore/mindspore and opengauss/openGauss-server as perceval kept them; [L]
apache/incubator-devlake, plugin gitee. No request was ever sent to Gitee from here.

- Issues have codes such as I60NGW, pull requests have numbers; ids are whole numbers [D]. Codes look global, numbers
  are the repository's own. Our stable ids are `gitee-issue-ID`, `gitee-pull-ID`, `gitee-comment-ID`.
- Issues and pull requests are listed apart: /repos/O/R/issues and /repos/O/R/pulls [S, P, L]. Both are read and merged
  by when they were changed; what is younger than the end of the shorter reading waits for the next page (`lists.py`).
- Pages have numbers; `total_page` and `total_count` are headers [P]. A `Link` is sent, too [P], and not needed.
  `per_page` is 100 at most [S].
- `since` is "the earliest time of change" [S]. Whether inclusively is not said, so that it is asked a second earlier.
  [L] says that lists of pull requests do not heed it, [S] and [P] that they do; if they do not, each page costs
  reading the list from its start, which is not wrong, but too slow for large repositories. `sort` is `created` or
  `updated` [S, M]; a list in another order is refused rather than believed.
- While issues are changed they move to the end, and by number the ones behind them would be skipped. So pages are asked
  for by moment, and a second that fills several pages is read until two readings agree.
- `state` is open, progressing, closed or rejected; of pull requests open, merged or closed [S, D]. Progressing is open;
  closed is `completed`, rejected `not_planned`. `finished_at` is when an issue was closed [D].
- `repository_url` of an issue may name an enterprise; the repository is in `repository.full_name` [D].
- Moments carry +08:00 [D]. There are no reactions, and no word on how an author belongs to the project [D]. A pull
  request does not say how many comments it has [D]; 0 is kept, and they are not read: each would be a request.
- No GraphQL: comments (/issues/CODE/comments) and linked pull requests (/repos/O/issues/CODE/pull_requests?repo=R [S])
  are asked for issue by issue, and how large a merged one is (/pulls/N/files, 300 files at most [S]; numbers are texts
  [M]). A linked pull request counts as closing its issue. Comments of a whole repository can be listed with `since`
  [S, L], but one that was deleted is not told there, so that this is not used. A list of several pages is read until
  two readings agree.
- No marks (ETag) that we know of: what the newest changes are is marked by ourselves, and asking takes two requests,
  and a third for the labels.
- The token goes in the header `Authorization: Bearer`, as [M] does, not into the address, where logs would show it.
- Limits: 403 "Rate Limit Exceeded", seen by others after a dozen requests without a token, and still a minute later
  (live tests of another project). No header about it is described; where GitHub's stand they are heeded.
- Not verified: deleted issues are taken to be 404 (with the repository still there); a renamed repository to answer
  under its old name, or to send us on, and to say its new name; a moved issue to name the repository that it is in now.
"""
