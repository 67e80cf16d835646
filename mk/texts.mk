# What is written by programs: the READMEs' outputs and pictures, translations, the course to hand out.

.PHONY: docs layers handout gradescope workflow po
docs: ## write the documents' outputs and pictures anew
	@$(BUILD) all
	@tests/tools/pictures assets
	@tests/tools/run-readme --update $$(grep -l '^\$$ ' README*.md docs/*.md)

layers: ## write the tables of layers of known architectures anew (assets/*.lay)
	@for m in resnet50 gpt2; do tests/tools/layers $$m >assets/$$m.lay || exit 1; done

handout: ## the course for students, with the page, without solutions: DIR=... [KEY=folder for the teacher's key]
	@KEY='$(KEY)' lessons/handout '$(DIR)' && if tests/tools/need page; then \
	  lessons/handout --page '$(DIR)' $(B)/ringsim.html $(BUILD) $(B)/ringsim.html; else \
	  echo "ringsim: no page in it: skipped"; fi

gradescope: ## a lab's autograder, to upload: LAB=05 OUT=lab05.zip [SECRET=file] [GRADE="--rung fill"]
	@GRADE='$(GRADE)' lessons/package gradescope '$(LAB)' '$(OUT)' $(if $(SECRET),'$(SECRET)')

workflow: ## a lab's workflow file for continuous integration: LAB=05 OUT=grade.yml [URL=...]
	@lessons/package workflow '$(LAB)' '$(OUT)' $(if $(URL),'$(URL)')

po: ## bring the translations' files up to date with the sources
	@tests/tools/catalogue update
