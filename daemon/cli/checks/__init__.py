"""What `clockwright doctor` looks at, one file for each thing. A check reads, and changes nothing."""
