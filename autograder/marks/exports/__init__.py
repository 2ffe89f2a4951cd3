"""`export`: marks in the formats that other systems read, one module for each."""
