"""Following a repository that its host renamed, so that our addresses are today's and the old ones lead there still."""

from ingest.hosts import Page
from ingest.sync.session import Session
from kb.services.repositories import NameTakenError, rename_repository


def follow_rename(session: Session, page: Page) -> None:
    """Take over the name that the host's answer bears, if it is another than the one we asked by."""
    names = [issue.repository for issue in page.issues if issue.repository]
    if not names or names[0].lower() == session.repository.full_name.lower():
        return
    try:
        rename_repository(repository=session.repository, full_name=names[0])
    except NameTakenError as error:
        session.problems.append(str(error))
