-- Keys of several columns, which Django cannot express: what belongs to one axis, item, issue or project stays
-- there. A vote is its slot's: cast on the slot's item by the slot's member, who cannot be exchanged afterwards.
ALTER TABLE labeling_vote ADD CONSTRAINT vote_is_of_its_slot
    FOREIGN KEY (slot_id, item_id, member_id) REFERENCES labeling_slot (id, item_id, member_id);
ALTER TABLE labeling_answernode ADD CONSTRAINT answernode_answer_is_on_axis
    FOREIGN KEY (answer_id, axis_id) REFERENCES labeling_answer (id, axis_id);
ALTER TABLE labeling_answernode ADD CONSTRAINT answernode_version_is_on_axis
    FOREIGN KEY (version_id, axis_id) REFERENCES labeling_nodeversion (id, axis_id);
ALTER TABLE labeling_answernode ADD CONSTRAINT answernode_several_as_its_axis
    FOREIGN KEY (axis_id, several) REFERENCES labeling_projectaxis (id, several);
ALTER TABLE labeling_nodeversion ADD CONSTRAINT nodeversion_node_is_on_axis
    FOREIGN KEY (node_id, axis_id) REFERENCES labeling_projectnode (id, axis_id);
ALTER TABLE labeling_nodeversion ADD CONSTRAINT nodeversion_parent_is_on_axis
    FOREIGN KEY (parent_id, axis_id) REFERENCES labeling_projectnode (id, axis_id);
ALTER TABLE labeling_codebooknode ADD CONSTRAINT codebooknode_version_is_of_node
    FOREIGN KEY (version_id, node_id) REFERENCES labeling_nodeversion (id, node_id);
ALTER TABLE labeling_item ADD CONSTRAINT item_snapshot_is_of_issue
    FOREIGN KEY (snapshot_id, issue_id) REFERENCES labeling_snapshot (id, issue_id);
ALTER TABLE labeling_round ADD CONSTRAINT round_codebook_is_of_project
    FOREIGN KEY (codebook_id, project_id) REFERENCES labeling_codebook (id, project_id);

-- Checked at the end of the transaction, as Django's own are: a demo project goes row by row.
ALTER TABLE labeling_round ADD CONSTRAINT round_gate_is_of_project
    FOREIGN KEY (gate_round_id, project_id) REFERENCES labeling_round (id, project_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE labeling_exclusion ADD CONSTRAINT exclusion_round_is_of_project
    FOREIGN KEY (round_id, project_id) REFERENCES labeling_round (id, project_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE labeling_exclusion ADD CONSTRAINT exclusion_node_is_on_axis
    FOREIGN KEY (node_id, axis_id) REFERENCES labeling_projectnode (id, axis_id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE labeling_exclusion ADD CONSTRAINT exclusion_axis_is_of_project
    FOREIGN KEY (axis_id, project_id) REFERENCES labeling_projectaxis (id, project_id) DEFERRABLE INITIALLY DEFERRED;
