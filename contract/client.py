"""Lists incidents and decides an approval with the client that was generated from the OpenAPI document.

client.py ADDRESS KEY; the generated package opsdeck_client must be importable.
"""

import sys

from opsdeck_client import AuthenticatedClient
from opsdeck_client.api.approvals import approve_approval, list_approvals
from opsdeck_client.api.incidents import list_incidents
from opsdeck_client.models import ApprovalRequest, ErrorBody, IncidentList, VoteBody
from opsdeck_client.models import ApprovalRequestList
from opsdeck_client.models.list_approvals_state_item import ListApprovalsStateItem
from opsdeck_client.models.list_incidents_severity_item import ListIncidentsSeverityItem

ADDRESS, KEY = sys.argv[1:]
client = AuthenticatedClient(base_url=f"{ADDRESS}/api/v1", token=KEY, prefix="", auth_header_name="X-API-Key")

incidents = list_incidents.sync(client=client, severity=[ListIncidentsSeverityItem.CRITICAL], page_size=5)
assert isinstance(incidents, IncidentList), incidents
assert incidents.metadata.total_count > 0 and incidents.items
assert all(item.severity == "critical" for item in incidents.items), incidents.items
assert incidents.items[0].creation_timestamp.tzinfo is not None

pending = list_approvals.sync(client=client, state=[ListApprovalsStateItem.PENDING], expired=False)
assert isinstance(pending, ApprovalRequestList) and pending.items, pending
request = pending.items[0]
vote = VoteBody(approver="Ana", reason="read and agreed", plan_hash=request.plan_hash)
where = dict(client=client, name=request.name, namespace=request.namespace)
decided = approve_approval.sync(**where, body=vote)
assert isinstance(decided, ApprovalRequest), decided
assert any(v.approver.startswith("Ana ") and v.decision == "approved" for v in decided.status.votes), decided.status.votes

again = approve_approval.sync(**where, body=vote)
assert isinstance(again, ErrorBody) and again.code == 409 and again.reason == "already_decided", again

stranger = AuthenticatedClient(base_url=f"{ADDRESS}/api/v1", token="no-such-key", prefix="", auth_header_name="X-API-Key")
refused = list_incidents.sync(client=stranger)
assert isinstance(refused, ErrorBody) and refused.code == 401, refused
print(f"the generated client read {incidents.metadata.total_count} critical incidents and approved {request.name}")
