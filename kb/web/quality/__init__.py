"""The page on how good Faultbook is: `page` answers, `tables` lays figures out, `answers` says them in sentences."""
