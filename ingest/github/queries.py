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

DETAILS = f"""
query Details($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Issue {{
    id state
    comments(first: {FIRST_COMMENTS}) {{ {COMMENTS} }}
    closedByPullRequestsReferences(first: {FIRST_CLOSINGS}, includeClosedPrs: true) {{ {CLOSINGS} }}
    {CLOSED_BY}
}} }} }}
{COMMENT}{PULL_REQUEST}
"""
# For GitHub Enterprise before 3.15, which does not know closing references.
DETAILS_OF_OLD = f"""
query Details($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Issue {{
    id state
    comments(first: {FIRST_COMMENTS}) {{ {COMMENTS} }}
    {CLOSED_BY}
}} }} }}
{COMMENT}{PULL_REQUEST}
"""

GLANCES = f"""
query Glances($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Issue {{
    id number title state stateReason updatedAt
    repository {{ nameWithOwner }}
    labels(first: 100) {{ nodes {{ name }} }}
    comments(first: {FIRST_COMMENTS}) {{ totalCount nodes {{ id updatedAt }} }}
    closedByPullRequestsReferences(first: {FIRST_CLOSINGS}, includeClosedPrs: true) {{ nodes {{ url state }} }}
}} }} }}
"""

CENSUS = """
query Census($owner: String!, $name: String!) { repository(owner: $owner, name: $name) {
    nameWithOwner
    issues { totalCount }
    open: issues(states: [OPEN]) { totalCount }
    pullRequests { totalCount }
} }
"""


def more_comments(count: int) -> str:
    """The question for further comments of `count` issues, by variables id0, after0, id1 ..."""
    variables = ", ".join(f"$id{k}: ID!, $after{k}: String" for k in range(count))
    asked = "\n".join(
        f"i{k}: node(id: $id{k}) {{ ... on Issue {{ comments(first: {MORE_COMMENTS}, after: $after{k}) "
        f"{{ {COMMENTS} }} }} }}"
        for k in range(count)
    )
    return f"query More({variables}) {{ {asked} }}{COMMENT}"


def more_closings(count: int) -> str:
    """The question for further closing references of `count` issues, as `more_comments`."""
    variables = ", ".join(f"$id{k}: ID!, $after{k}: String" for k in range(count))
    asked = "\n".join(
        f"i{k}: node(id: $id{k}) {{ ... on Issue {{ "
        f"closedByPullRequestsReferences(first: 100, after: $after{k}, includeClosedPrs: true) {{ {CLOSINGS} }} }} }}"
        for k in range(count)
    )
    return f"query More({variables}) {{ {asked} }}{PULL_REQUEST}"
