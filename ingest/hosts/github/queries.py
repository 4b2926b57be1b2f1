"""The questions we ask GitHub by GraphQL. Which issues they are about goes in as variables, never into the text."""

# Most threads are shorter; the rest of a longer one is asked for apart.
FIRST_COMMENTS = 30
FIRST_CLOSINGS = 10
MORE_COMMENTS = 100

COMMENT = """
fragment comment on IssueComment {
  id databaseId body author { login } authorAssociation createdAt updatedAt
}
"""
PULL_REQUEST = """
fragment pull on PullRequest {
  url number state merged mergedAt additions deletions changedFiles repository { nameWithOwner }
}
"""
COMMENTS = "totalCount pageInfo { hasNextPage endCursor } nodes { ...comment }"
CLOSINGS = "totalCount pageInfo { hasNextPage endCursor } nodes { ...pull }"
# A commit that closes an issue is told by the closing event alone.
CLOSED_BY = """
    timelineItems(itemTypes: [CLOSED_EVENT], last: 1) { nodes { ... on ClosedEvent { closer {
      __typename
      ... on Commit { url additions deletions changedFilesIfAvailable committedDate }
      ... on PullRequest { ...pull }
    } } } }
"""

# Of pull requests only what was said is wanted; what they close is told by the issues.
OF_PULL = f"... on PullRequest {{ id comments(first: {FIRST_COMMENTS}) {{ {COMMENTS} }} }}"
DETAILS = f"""
query Details($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Issue {{
    id state
    comments(first: {FIRST_COMMENTS}) {{ {COMMENTS} }}
    closedByPullRequestsReferences(first: {FIRST_CLOSINGS}, includeClosedPrs: true) {{ {CLOSINGS} }}
    {CLOSED_BY}
}} {OF_PULL} }} }}
{COMMENT}{PULL_REQUEST}
"""
# For GitHub Enterprise before 3.15, which does not know closing references.
DETAILS_OF_OLD = f"""
query Details($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Issue {{
    id state
    comments(first: {FIRST_COMMENTS}) {{ {COMMENTS} }}
    {CLOSED_BY}
}} {OF_PULL} }} }}
{COMMENT}{PULL_REQUEST}
"""

GLANCED = f"""
    id number title closed updatedAt
    repository {{ nameWithOwner }}
    labels(first: 100) {{ nodes {{ name }} }}
    comments(first: {FIRST_COMMENTS}) {{ totalCount nodes {{ id updatedAt }} }}
"""
GLANCE = f"""
fragment issue on Issue {{
    {GLANCED} state stateReason
    closedByPullRequestsReferences(first: {FIRST_CLOSINGS}, includeClosedPrs: true) {{ nodes {{ url state }} }}
    timelineItems(itemTypes: [CLOSED_EVENT], last: 1) {{ nodes {{ ... on ClosedEvent {{ closer {{
      __typename ... on Commit {{ url }} ... on PullRequest {{ url state }}
    }} }} }} }}
}}
fragment pull on PullRequest {{ {GLANCED} }}
"""

CENSUS = """
query Census($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    nameWithOwner
    issues { totalCount }
    open: issues(states: [OPEN]) { totalCount }
    pullRequests { totalCount }
} }
"""


# A connection's further pages, and the fragment that they need.
COMMENTS_FIELD = f"comments(first: {MORE_COMMENTS}, after: $after) {{ {COMMENTS} }}"
MORE_OF_COMMENTS = f"... on Issue {{ {COMMENTS_FIELD} }} ... on PullRequest {{ {COMMENTS_FIELD} }}"
MORE_OF_CLOSINGS = (
    "... on Issue { closedByPullRequestsReferences(first: 100, after: $after, includeClosedPrs: true) "
    f"{{ {CLOSINGS} }} }}"
)


def glances(parts: int) -> str:
    """The query for a look at issues and pull requests in `parts` parts, by variables ids0, ids1 ..."""
    variables = ", ".join(f"$ids{k}: [ID!]!" for k in range(parts))
    fields = "\n".join(f"nodes{k}: nodes(ids: $ids{k}) {{ ...issue ...pull }}" for k in range(parts))
    return f"query Glances({variables}) {{ {fields} }}{GLANCE}"


def more_comments(count: int) -> str:
    """The query for further comments of `count` issues or pull requests, by variables id0, after0, id1 ..."""
    return _more(count, MORE_OF_COMMENTS, COMMENT)


def more_closings(count: int) -> str:
    """The query for further closing references of `count` issues, as `more_comments`."""
    return _more(count, MORE_OF_CLOSINGS, PULL_REQUEST)


def _more(count: int, selection: str, fragment: str) -> str:
    variables = ", ".join(f"$id{k}: ID!, $after{k}: String" for k in range(count))
    fields = "\n".join(
        f"i{k}: node(id: $id{k}) {{ {selection.replace('$after', f'$after{k}')} }}" for k in range(count)
    )
    return f"query More({variables}) {{ {fields} }}{fragment}"
