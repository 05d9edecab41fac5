-- Every file that a paper was added from: files with the same content are sources of one paper.
CREATE TABLE sources (place VARCHAR NOT NULL, file_name VARCHAR NOT NULL, paper_id UUID NOT NULL);
INSERT INTO sources SELECT source_path, file_name, paper_id FROM papers WHERE state <> 'failed';
