"""What users test their own jobs with: fakes, a demo shop, a simulator."""
